import { expect, type Page } from "@playwright/test";

/** /settings/custom-fields/import */
export class ImportWizard {
  constructor(readonly page: Page) {}

  async begin(product = "ConnectWise Automate") {
    await this.page.goto("/settings/custom-fields/import");
    await this.page.getByRole("radio", { name: product }).check();
    await this.page.getByRole("button", { name: "Begin" }).click();
    await expect(this.step("Source")).toBeVisible();
  }

  /** The step in sight. */
  step(name: string) {
    return this.page.getByRole("region", { name: new RegExp(`^Step \\d of 6: ${name}$`) });
  }

  async read(name: string, text: string) {
    await this.page
      .locator("input[type=file]")
      .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
    await expect(this.page.getByRole("region", { name: `First rows of ${name}` })).toBeVisible();
    await this.page.getByRole("button", { name: "Read the file" }).click();
    await this.go("Go on to the fields", "Fields");
  }

  /** Presses the step's one primary button. */
  async go(button: string, to: string) {
    await this.page.getByRole("button", { name: button }).click();
    await expect(this.step(to)).toBeVisible();
  }

  field(title: string) {
    return this.page.getByRole("listitem").filter({ has: this.page.getByText(title, { exact: true }) });
  }

  get table() {
    return this.page.getByRole("table", { name: "Rows of the file with their outcomes" });
  }

  row(text: string) {
    return this.table.getByRole("row").filter({ hasText: text });
  }
}
