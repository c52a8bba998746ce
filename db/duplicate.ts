/** True for PostgreSQL's unique_violation, also where Drizzle has wrapped it. */
export function isDuplicate(error: unknown): boolean {
  const codes = [error, (error as { cause?: unknown } | null)?.cause].map(
    (e) => (e as { code?: unknown } | null)?.code,
  );
  return codes.includes("23505");
}
