import { expect, type Page } from "playwright/test";

/** /organizations: one row an organization. */
export class OrganizationsPage {
  constructor(readonly page: Page) {}

  async open(query = "") {
    await this.page.goto(`/organizations${query}`);
    await expect(this.page.getByRole("heading", { level: 1, name: "Organizations" })).toBeVisible();
    await expect(this.page.getByRole("table")).toBeVisible();
  }

  row(name: string | RegExp) {
    return this.page.getByRole("row").filter({ has: this.page.getByRole("link", { name }) });
  }

  /** The names, in their order. */
  names(): Promise<string[]> {
    return this.page.getByRole("rowheader").getByRole("link").allTextContents();
  }

  filter(name: string) {
    return this.page.getByRole("group", { name: "Show organizations with" }).getByRole("button", { name });
  }

  async select(name: string) {
    await this.page.getByRole("checkbox", { name: `Select ${name}` }).check();
  }

  dialog(name: RegExp) {
    return this.page.getByRole("dialog", { name });
  }
}
