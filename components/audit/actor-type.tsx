import { Cog, Cpu, KeyRound, Sparkles, User } from "lucide-react";
import { ACTOR_TYPE_LABEL, type ActorType as Kind } from "@/server/audit/vocabulary";
import classes from "./actor-type.module.css";

const ICON = { user: User, api_key: KeyRound, agent: Cpu, system: Cog, ai_agent: Sparkles } as const;

/** An actor's type as an icon and a word. */
export function ActorType({ type }: { type: Kind }) {
  const Icon = ICON[type];
  return (
    <span className={classes.type}>
      <Icon size={14} strokeWidth={1.75} aria-hidden />
      {ACTOR_TYPE_LABEL[type]}
    </span>
  );
}
