import { seal, unseal } from "@/server/ground/derived-key";

type Purpose = "webhooks" | "streams";
type Secrets = { id: string; secret: string | null; formerSecret: string | null; formerUntil: Date | string | null };

/** Seals a secret for storage, bound to its endpoint or stream. */
export const sealSecret = (purpose: Purpose, owner: string, secret: string): string => seal(secret, { purpose, owner });

/** Valid secrets at a time, the current one first. @throws Error when sealed under another NEXTAUTH_SECRET */
export function secretsOf(purpose: Purpose, { id, secret, formerSecret, formerUntil }: Secrets, now: Date): string[] {
  const former = formerUntil && new Date(formerUntil) > now ? formerSecret : null;
  return [secret, former].flatMap((sealed) => (sealed ? [unseal(sealed, { purpose, owner: id })] : []));
}

/** Columns beside a new secret: the former one stays valid until the overlap ends. */
export const overlapOf = ({ secret }: Pick<Secrets, "secret">, overlapSeconds: number, now: Date) => ({
  formerSecret: overlapSeconds > 0 ? secret : null,
  formerUntil: overlapSeconds > 0 ? new Date(now.getTime() + overlapSeconds * 1000) : null,
  updatedAt: now,
});
