/** Name of the organization beside an opened proof, which has only its id; percent-encoded. */
export const ORGANIZATION_HEADER = "Trailmark-Organization";
