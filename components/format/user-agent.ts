import Bowser from "bowser";

/** "Chrome 129 on Windows 10"; null when the browser is not recognized. */
export function describeAgent(userAgent: string): string | null {
  if (!userAgent) return null;
  const { browser, os } = Bowser.parse(userAgent);
  if (!browser.name) return null;
  const version = browser.version?.split(".")[0];
  const system = [os.name, os.versionName?.replace(/^NT.*/, "") || ""].filter(Boolean).join(" ");
  return [browser.name, version, system && `on ${system}`].filter(Boolean).join(" ");
}
