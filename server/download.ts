/** A file for download: its media type, its digest, and either its text or where it lies and how long it is. */
export type Download = { type: string; sha256: string } & ({ body: string } | { path: string; bytes: number });
