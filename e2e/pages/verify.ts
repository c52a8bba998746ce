import { expect, type Page } from "playwright/test";

/** /verify, open to everybody */
export class VerifyPage {
  constructor(readonly page: Page) {}

  async open() {
    await this.page.goto("/verify");
    await expect(this.page.getByRole("heading", { level: 1, name: "Verify an evidence bundle" })).toBeVisible();
  }

  async choose(text: string, name = "bundle.ndjson") {
    await this.page
      .getByLabel("Evidence bundle")
      .setInputFiles({ name, mimeType: "application/x-ndjson", buffer: Buffer.from(text) });
  }

  get key() {
    return this.page.getByLabel("Verifier key or policy (optional)");
  }

  verdict(name: string) {
    return this.page.getByRole("region", { name: "Verdict" }).getByRole("heading", { name, exact: true });
  }

  /** The list of the bundle's entries. */
  get entries() {
    return this.page.getByRole("region", { name: "Entries in the file" });
  }

  async search(text: string) {
    await this.page.getByRole("searchbox", { name: "Search the entries" }).fill(text);
  }

  breaks() {
    return this.page.getByRole("table", { name: "Where the chain is broken" }).getByRole("row");
  }
}
