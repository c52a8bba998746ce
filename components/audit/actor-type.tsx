import { Cog, Cpu, KeyRound, Sparkles, User } from "lucide-react";
import { Tag } from "@/components/ui/tag";
import { ACTOR_TYPE_LABEL, type ActorType as Kind } from "@/server/audit/vocabulary";

const ICON = { user: User, api_key: KeyRound, agent: Cpu, system: Cog, ai_agent: Sparkles } as const;

/** An actor's type as an icon and a word. */
export const ActorType = ({ type }: { type: Kind }) => (
  <Tag tone="off" icon={ICON[type]}>
    {ACTOR_TYPE_LABEL[type]}
  </Tag>
);
