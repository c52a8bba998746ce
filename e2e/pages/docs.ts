import { expect, type Page } from "@playwright/test";

/** /docs, the API reference */
export class DocsPage {
  constructor(readonly page: Page) {}

  async open() {
    await this.page.goto("/docs");
    await expect(this.page.getByRole("heading", { level: 1, name: "API reference" })).toBeVisible();
    await expect(this.operation("/audit-logs", "GET")).toBeVisible();
  }

  operation(path: string, method: string) {
    return this.page.getByRole("navigation", { name: "Operations" }).getByRole("button", {
      name: `${method} ${path}`,
      exact: true,
    });
  }

  get answer() {
    return this.page.getByRole("region", { name: "Response", exact: true });
  }

  async send() {
    await this.page.getByRole("button", { name: "Send request" }).click();
  }

  sample(language: string) {
    return this.page.getByRole("region", { name: `Sample in ${language}` });
  }
}
