import { expect, type Page } from "playwright/test";
import { ADMIN } from "@/testing/server";

/** /login */
export class SignInPage {
  constructor(readonly page: Page) {}

  async open(path = "/login") {
    await this.page.goto(path);
    await expect(this.page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  }

  async fill(email: string, password: string) {
    await this.page.getByLabel("E-mail").fill(email);
    await this.page.getByLabel("Password", { exact: true }).fill(password);
    await this.page.getByRole("button", { name: "Sign in" }).click();
  }

  async signIn(who: { email: string; password: string } = ADMIN) {
    await this.open();
    await this.fill(who.email, who.password);
    await expect(this.page.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
  }

  get refusal() {
    return this.page.getByRole("alert").filter({ hasText: "Wrong e-mail address or password" });
  }
}
