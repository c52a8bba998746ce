import { expect, type Page } from "playwright/test";

type Step = "Where" | "What" | "Check" | "From when";

/** /settings/streams: the list, the wizard and the page of a stream. */
export class StreamsPage {
  constructor(readonly page: Page) {}

  /** Opens the wizard for a destination, by its card. */
  async begin(destination: string) {
    await this.page.goto("/settings/streams/new");
    await this.page.getByRole("list", { name: "Destinations" }).getByRole("link", { name: destination }).click();
    await expect(this.step("Where")).toBeVisible();
  }

  /** The step in sight. */
  step(name: Step) {
    return this.page.getByRole("region", { name: new RegExp(`^Step \\d of 4: ${name}$`) });
  }

  /** A field by its whole label, which ends in a star where it is required. */
  field(label: string) {
    return this.page.getByLabel(new RegExp(`^${label}( \\*)?$`));
  }

  async fill(values: Readonly<Record<string, string>>) {
    for (const [label, value] of Object.entries(values)) await this.field(label).fill(value);
  }

  /** Chooses the organization whose entries are carried. */
  async chooseOrganization(name: string) {
    await this.page.getByRole("combobox", { name: "Organization" }).fill(name);
    await this.page.getByRole("option", { name }).click();
  }

  async next(to: Step) {
    await this.page.getByRole("button", { name: "Next" }).click();
    await expect(this.step(to)).toBeVisible();
  }

  /** Runs the check; the line of a step. */
  async check() {
    await this.page.getByRole("button", { name: /^(Run the check|Check again)$/ }).click();
  }
  checked(step: string) {
    return this.page.getByRole("list", { name: "Steps of the check" }).getByRole("listitem").filter({ hasText: step });
  }

  async start(name: string) {
    await this.page.getByRole("button", { name: "Start stream" }).click();
    await expect(this.page.getByRole("heading", { level: 1, name })).toBeVisible();
  }

  button(name: string) {
    return this.page.getByRole("button", { name, exact: true });
  }

  dialog(name: string) {
    return this.page.getByRole("dialog", { name });
  }
}
