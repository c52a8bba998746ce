import { expect, type Locator, type Page } from "playwright/test";

/** The audit log, at / */
export class ViewerPage {
  constructor(readonly page: Page) {}

  async open(query = "") {
    await this.page.goto(`/${query}`);
    await expect(this.page.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
  }

  get table(): Locator {
    return this.page.getByRole("table", { name: /Audit entries/ });
  }

  get search(): Locator {
    return this.page.getByLabel("Search the audit log");
  }

  get drawer(): Locator {
    return this.page
      .getByRole("dialog", { name: "Audit entry" })
      .or(this.page.getByRole("region", { name: "Audit entry", exact: true }));
  }

  get chips(): Locator {
    return this.page.getByRole("list", { name: "Active filters" });
  }

  get facets(): Locator {
    return this.page.getByRole("complementary", { name: "Filters" });
  }

  get histogram(): Locator {
    return this.page.getByRole("slider", { name: /Entries over time/ });
  }

  get suggestions(): Locator {
    return this.page.getByRole("listbox", { name: "Suggestions" });
  }

  /** Copies the link to this view. The button says for a moment alone that it did: the page itself looks out for that. */
  async copyLink() {
    const button = this.page.getByRole("button", { name: "Copy link", exact: true });
    await expect(button).toBeVisible();
    const said = this.page.evaluate(
      () =>
        new Promise<void>((done) => {
          const watch = new MutationObserver(() => {
            if (!document.querySelector('[aria-label="Link copied"]')) return;
            watch.disconnect();
            done();
          });
          watch.observe(document.body, { subtree: true, attributeFilter: ["aria-label"] });
        }),
    );
    await Promise.all([said, button.click()]);
  }

  async openFacets() {
    await this.page.getByRole("button", { name: "Filters", exact: true }).click();
    await expect(this.facets.getByRole("status")).toContainText(/match/);
  }

  /** Waits for an entry of what was done a moment ago: a list stays as it was read, so it is read again. */
  async untilShown(words: RegExp) {
    await expect(async () => {
      if (!(await this.entries(words).first().isVisible()))
        await this.page.getByRole("button", { name: "Refresh" }).click();
      await expect(this.entries(words).first()).toBeVisible({ timeout: 20_000 });
    }).toPass({ timeout: 120_000 });
  }

  /** The links of all entries whose sentence holds the words. */
  entries(words: RegExp | string = /./): Locator {
    return this.table.getByRole("link", { name: words }).and(this.page.locator("[data-entry]"));
  }

  /** Opens the first entry whose sentence holds the words. */
  async openEntry(words: RegExp | string = /./) {
    await this.entries(words).first().click();
  }

  row(words: RegExp | string): Locator {
    return this.table
      .getByRole("row")
      .filter({ has: this.page.locator("[data-entry]").and(this.page.getByRole("link", { name: words })) });
  }

  async searchFor(text: string) {
    await this.search.fill(text);
    await this.search.press("Enter");
  }
}
