import type { NotificationKind } from "@/server/notify/vocabulary";
import { chainKinds } from "./chains";
import type { KindDefinition } from "./definition";
import { installationKinds } from "./installation";
import { organizationKinds } from "./organizations";
import { streamKinds } from "./streams";

/** Every kind of the vocabulary, with check, sentences and page. */
export const DEFINITIONS: Readonly<Record<NotificationKind, KindDefinition>> = {
  ...chainKinds,
  ...installationKinds,
  ...organizationKinds,
  ...streamKinds,
};
