import { expect, type Page } from "playwright/test";

/** The frame of every page: header, switcher, badge, navigation. */
export class Frame {
  constructor(readonly page: Page) {}

  /** Narrows every page to one organization by the switcher in the header. */
  async switchTo(name: string) {
    const dialog = this.page.getByRole("dialog", { name: "Organization" });
    await this.page.getByRole("button", { name: /^Organization:/ }).click();
    await dialog.getByRole("button", { name, exact: true }).click();
    await expect(dialog).toHaveCount(0);
  }

  get badge() {
    return this.page.getByRole("banner").getByRole("link", { name: /audit chain/i });
  }

  nav(name: string) {
    return this.page.getByRole("navigation", { name: "Pages", exact: true }).getByRole("link", { name, exact: true });
  }

  failure(what: string) {
    return this.page.getByRole("alert").filter({ hasText: `Could not load ${what}` });
  }
}
