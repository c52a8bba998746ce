import type { LibraryScript, ScriptOs } from "@/server/devices/scripts/schema";

export const OS_LABEL: Record<ScriptOs, string> = { windows: "Windows", macos: "macOS", linux: "Linux" };
export const LANGUAGE_LABEL: Record<LibraryScript["language"], string> = { powershell: "PowerShell", bash: "Bash" };
export const RUN_AS_LABEL: Record<LibraryScript["runAs"], string> = {
  system: "the system",
  user: "the signed-in user",
};
export const osLabel = (osTypes: readonly ScriptOs[]): string => osTypes.map((os) => OS_LABEL[os]).join(", ");
