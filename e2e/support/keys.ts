import { expect, type Locator, type Page } from "playwright/test";

/** More stops than any page has. */
const MAX_STOPS = 200;

/** Somebody without a mouse: goes from stop to stop by Tab, and acts by Enter, Space, the arrows of a list and typing. */
export class Keys {
  /** Keys that were pressed so far, typed letters not counted. */
  pressed = 0;

  constructor(readonly page: Page) {}

  async press(key: string) {
    this.pressed++;
    await this.page.keyboard.press(key);
  }

  /** Tabs on until the focus is there, and is to be seen. */
  async to(target: Locator) {
    await expect(target).toBeVisible();
    await expect(this.page.locator("body[aria-busy]")).toHaveCount(0);
    for (let stop = 0; stop < MAX_STOPS; stop++) {
      if (await target.evaluate((element) => element === document.activeElement)) return this.#isSeen(target);
      await this.press("Tab");
    }
    throw new Error(`Tab does not lead to ${target}.`);
  }

  /** A text field shows a caret; anything else needs a visible mark. */
  async #isSeen(target: Locator) {
    const marked = await target.evaluate((element) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      const isText = element.matches("input:not([type=checkbox], [type=radio]), textarea");
      const hasOutline = outlineStyle !== "none" && outlineWidth !== "0px";
      return element.matches(":focus-visible") && (isText || hasOutline || boxShadow !== "none");
    });
    expect(marked, `the focus on ${target} is to be seen`).toBe(true);
  }

  async enter(target: Locator) {
    await this.to(target);
    await this.press("Enter");
  }

  async space(target: Locator) {
    await this.to(target);
    await this.press("Space");
  }

  async type(target: Locator, text: string) {
    await this.to(target);
    await this.page.keyboard.type(text);
  }

  /** Takes an option of a list as a screen reader's user does: opened by an arrow, walked by arrows, taken by Enter. */
  async choose(combobox: Locator, name: string) {
    await this.to(combobox);
    await this.press("ArrowDown");
    const option = this.page.getByRole("option", { name, exact: true });
    await expect(option).toBeVisible();
    for (let at = 0; at < MAX_STOPS; at++) {
      if ((await option.getAttribute("data-combobox-selected")) !== null) break;
      await this.press("ArrowDown");
    }
    await this.press("Enter");
    await expect(option).toHaveCount(0);
  }
}
