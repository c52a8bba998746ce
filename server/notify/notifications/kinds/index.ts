import type { NotificationKind } from "@/server/notify/vocabulary";
import { chainKinds } from "./chains";
import { customerKinds } from "./customers";
import type { KindDefinition } from "./definition";
import { installationKinds } from "./installation";
import { streamKinds } from "./streams";

/** Every kind of the vocabulary, with its check, its sentences and its page. */
export const DEFINITIONS: Readonly<Record<NotificationKind, KindDefinition>> = {
  ...chainKinds,
  ...installationKinds,
  ...customerKinds,
  ...streamKinds,
};
