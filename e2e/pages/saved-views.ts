import { expect, type Locator, type Page } from "playwright/test";

/** The menu of saved views over the audit log, and its dialogs. */
export class SavedViewsMenu {
  constructor(readonly page: Page) {}

  get menu(): Locator {
    return this.page.getByRole("dialog", { name: "Views", exact: true });
  }

  async open() {
    await this.page.getByRole("button", { name: "Views", exact: true }).click();
    await expect(this.menu.getByRole("list", { name: "Built in" })).toBeVisible();
  }

  async close() {
    // From within: a dialog that has just closed may still be handing the focus back.
    await this.menu.getByRole("button").first().press("Escape");
    await expect(this.menu).toHaveCount(0);
  }

  group(name: "Mine" | "Shared" | "Built in"): Locator {
    return this.menu.getByRole("list", { name });
  }

  view(name: string): Locator {
    return this.menu.getByRole("listitem").filter({ hasText: name });
  }

  async pick(name: string) {
    await this.open();
    await this.view(name).getByRole("button").first().click();
    await expect(this.menu).toHaveCount(0);
  }

  /** Opens what can be done with a view. */
  async change(name: string) {
    await this.open();
    await this.menu.getByRole("button", { name: `Edit ${name}` }).click();
  }

  /** Keeps what the list shows; readers is an entry of "Who sees it". */
  async save(name: string, readers?: string | RegExp) {
    await this.open();
    await this.menu.getByRole("button", { name: "Save this view" }).click();
    const dialog = this.page.getByRole("dialog", { name: "Save this view" });
    await dialog.getByRole("textbox", { name: "Name" }).fill(name);
    if (readers) {
      await dialog.getByRole("combobox", { name: "Who sees it" }).click();
      await this.page.getByRole("option", { name: readers }).first().click();
    }
    await dialog.getByRole("button", { name: "Save" }).click();
  }
}
