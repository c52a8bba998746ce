/** The resource of an event, as record() takes it. */
export const resourceOf = (resourceType: string, { id, name }: { id: string; name: string | null }) => ({
  resourceType,
  resourceId: id,
  resourceName: name,
});
