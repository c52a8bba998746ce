/** Resource of an event for record(). */
export const resourceOf = (resourceType: string, { id, name }: { id: string; name: string | null }) => ({
  resourceType,
  resourceId: id,
  resourceName: name,
});
