const LOOPBACK = /^http:\/\/(127\.[0-9.]+|localhost|\[::1\])(:\d+)?$/;

/** Whether agents may speak to a server at that address: https, or plain http without leaving the machine. */
export const isSafeAddress = (url: string): boolean => url.startsWith("https:") || LOOPBACK.test(url);

/**
 * The lines that install and enroll an agent. The key is in no program's arguments, which every user of a machine can
 * see: printf and the assignment are the shells' own, and what they start gets it on standard input or in its
 * environment. By the space in front, most shells leave the first line out of their history.
 */
export function installCommands(url: string, key: string): { linux: string; windows: string } {
  const isPlain = url.startsWith("http:");
  // Without -L a redirect would count as a script, an empty one.
  const curl = `curl ${isPlain ? "" : "--proto =https "}-fsSL --max-redirs 0 ${url}/agent/install.sh`;
  const script = `irm ${url}/agent/install.ps1`;
  return {
    linux: ` printf %s ${key} | sudo sh -c 's=$(${curl}) && eval "$s"'${isPlain ? " install.sh --allow-loopback-http" : ""}`,
    windows: `$env:TRAILMARK_ENROLLMENT_KEY='${key}'; ${
      isPlain ? `& ([scriptblock]::Create((${script}))) -AllowLoopbackHttp` : `${script} | iex`
    }`,
  };
}
