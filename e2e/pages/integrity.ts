import { readFile } from "node:fs/promises";
import { expect, type Page } from "playwright/test";

/** /integrity of one organization */
export class IntegrityPage {
  constructor(readonly page: Page) {}

  async open(orgId: string) {
    await this.page.goto(`/integrity?orgId=${orgId}`);
    await expect(this.page.getByRole("heading", { level: 1, name: "Integrity" })).toBeVisible();
  }

  async verifyNow() {
    await this.page.getByRole("button", { name: "Verify now" }).click();
  }

  verdict(name: string | RegExp) {
    return this.page.getByRole("heading", { level: 2, name, exact: true });
  }

  /** The rows of the table of breaks below a heading. */
  breaks(section: string) {
    const table = this.page
      .getByRole("region", { name: section })
      .getByRole("table", { name: "Where the chain is broken" });
    return table.getByRole("row");
  }

  /** The evidence bundle's text, as the browser saves it. */
  async downloadEvidence(): Promise<string> {
    const started = this.page.waitForEvent("download");
    await this.page.getByRole("link", { name: "Download evidence bundle" }).click();
    return readFile(await (await started).path(), "utf8");
  }
}
