import { expect, type Locator, type Page } from "playwright/test";

/** The audit log while it follows the log. */
export class LiveView {
  constructor(readonly page: Page) {}

  get toggle(): Locator {
    return this.page.getByRole("button", { name: "Live", exact: true });
  }

  /** What the live view says of itself: "Live", "Paused, 2 new" …; the button that turns it on says "Live" too. */
  state(words: string): Locator {
    return this.page.locator("[data-state] > [aria-hidden]").getByText(words, { exact: true });
  }

  get pill(): Locator {
    return this.page.getByRole("button", { name: /^[\d,]+\+? new$/ });
  }

  /** Turns it on and waits until it follows. */
  async follow() {
    await this.toggle.click();
    await expect(this.toggle).toHaveAttribute("aria-pressed", "true");
    await expect(this.page.getByRole("status").filter({ hasText: /^Live$/ })).toBeAttached();
  }
}
