import type { Step } from "@/server/setup/checklist/schema";

type Way = { label: string; href: (orgId: string | null) => string };
type Words = { title: string; what: string; way?: Way; command?: string };

const at = (path: string) => (orgId: string | null) => (orgId ? `${path}?orgId=${orgId}` : path);
const to = (path: string) => () => path;

/** What each step is called, why it is done, and where or by which command. */
export const STEPS: Record<Step, Words> = {
  organization: {
    title: "Create an organization for your first customer",
    what: "Each customer has an organization of its own, with its own audit chain, retention and people.",
    way: { label: "Create an organization", href: to("/settings/organizations") },
  },
  enrollment_key: {
    title: "Create an enrollment key",
    what: "With it the customer's devices join the organization. It is shown once, with the command that uses it.",
    way: { label: "Create a key", href: at("/settings/enrollment") },
  },
  agent: {
    title: "Connect the first agent",
    what: "Run the key's command on a device. This step ticks itself when the agent is heard.",
    way: { label: "Open enrollment", href: at("/settings/enrollment") },
  },
  verified: {
    title: "Verify the first entries",
    what: "What the agent did is in the audit log now. Verify its chain once; from then on it is read every night.",
    way: { label: "Verify", href: at("/integrity") },
  },
  backup: {
    title: "Make a backup",
    what: "Run this on the server, and again as often as you can afford to lose what came since. Nothing is known of backups made by other means.",
    command: "npm run trailmark -- backup",
  },
  witness: {
    title: "Configure a witness",
    what: "A witness outside your control cosigns each checkpoint, so that not even you could rewrite history. Name its policy file in this variable and restart the server.",
    command: "TRAILMARK_WITNESS_POLICY_FILE",
  },
  two_factor: {
    title: "Turn on two-factor sign-in for your account",
    what: "An authenticator app or a passkey.",
    way: { label: "Your account", href: to("/account") },
  },
};
