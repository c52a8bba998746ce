import { expect, type Locator, type Page } from "playwright/test";

/** How long work in the background may take on a busy machine, to which it gives way. */
export const WORK_MS = 240_000;

/** /settings/custom-fields/import */
export class ImportWizard {
  constructor(readonly page: Page) {}

  async begin(product = "ConnectWise Automate") {
    await this.page.goto("/settings/custom-fields/import");
    await this.page.getByRole("radio", { name: product }).check();
  }

  /** The step in sight. */
  step(name: string) {
    return this.page.getByRole("region", { name: new RegExp(`^Step \\d of 6: ${name}$`) });
  }

  /** Chooses a file that leaves nothing to ask: it is read at once. */
  async read(name: string, text: string) {
    await this.page
      .locator("input[type=file]")
      .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
    await expect(this.step("Fields")).toBeVisible({ timeout: WORK_MS });
  }

  /** An entry of a list to choose from. */
  async choose(list: string, entry: string) {
    await this.page.getByRole("combobox", { name: list }).click();
    await this.page.getByRole("option", { name: entry, exact: true }).click();
  }

  /** How many rows or values have an outcome, as its button in the check says. */
  count(outcome: string) {
    return this.step("Check")
      .getByRole("button", { name: new RegExp(`^${outcome}`) })
      .locator("strong");
  }

  /** One of the report's numbers. */
  figure(label: string) {
    return this.page.locator("dl > div").filter({ has: this.page.getByText(label, { exact: true }) });
  }

  /** Presses the step's one primary button; what it begins is done in the background, after all else. */
  async go(button: string, to: string) {
    await this.page.getByRole("button", { name: button }).click();
    await expect(this.step(to)).toBeVisible({ timeout: WORK_MS });
  }

  /** Presses Tab until the element has the focus; a page that cannot be walked through so is a page that fails. */
  async tabTo(target: Locator) {
    await expect(target).toBeVisible();
    const hasFocus = () => target.evaluate((element) => element === document.activeElement);
    for (let i = 0; i < 120 && !(await hasFocus()); i++) await this.page.keyboard.press("Tab");
    await expect(target).toBeFocused();
  }

  /** The button that opens a row of the check, by its place in the table. */
  open(place: number) {
    return this.table.getByRole("button", { name: /Open row/ }).nth(place - 1);
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
