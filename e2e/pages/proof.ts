import { readFile } from "node:fs/promises";
import { expect, type Page } from "playwright/test";

/** The page that checks the proof of an entry: /verify#p=…, /p/…, or the file for readers without a network */
export class ProofPage {
  constructor(readonly page: Page) {}

  async open(address: string) {
    await this.page.goto(address);
    await expect(this.page.getByRole("heading", { level: 1, name: "Proof of an audit log entry" })).toBeVisible();
  }

  verdict(name: string) {
    return this.page.getByRole("region", { name: "Verdict" }).getByRole("heading", { name, exact: true });
  }

  part(name: string) {
    return this.page.getByRole("region", { name, exact: true });
  }

  get keys() {
    return this.page.getByLabel("Verifier key or policy");
  }
}

/** "Share proof" of an entry's own page */
export class ShareDialog {
  constructor(readonly page: Page) {}

  async open(entryId: string) {
    await this.page.goto(`/audit/${entryId}`);
    await this.page.getByRole("button", { name: "Share proof" }).click();
    await expect(this.dialog).toBeVisible();
  }

  get dialog() {
    return this.page.getByRole("dialog", { name: "Share proof of this entry" });
  }

  /** The link as the clipboard holds it. */
  async copyLink(): Promise<string> {
    await this.dialog.getByRole("button", { name: "Copy proof link" }).click();
    await expect(this.dialog.getByText(/^Copied, \d+ characters\.$/)).toBeVisible();
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  async download(): Promise<{ name: string; text: string }> {
    const started = this.page.waitForEvent("download");
    await this.dialog.getByRole("button", { name: "Download .tlog-proof" }).click();
    const file = await started;
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
  }

  async createShortLink(): Promise<string> {
    await this.dialog.getByRole("button", { name: "Create link" }).click();
    await expect(this.dialog.getByRole("img", { name: /^QR code of the link/ })).toBeVisible();
    return (await this.dialog.getByText(/\/p\/[\w-]{22}$/).textContent()) ?? "";
  }

  get links() {
    return this.dialog.getByRole("list", { name: "Short links to this entry" }).getByRole("listitem");
  }
}
