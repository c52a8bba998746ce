/** The name of the entry's organization beside an opened proof, which holds its id alone; percent-encoded. */
export const ORGANIZATION_HEADER = "Trailmark-Organization";
