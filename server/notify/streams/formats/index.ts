import type { StreamFormat } from "@/server/notify/streams/vocabulary";
import { cef } from "./cef";
import { ecs } from "./ecs";
import type { Format } from "./format";
import { native } from "./native";
import { ocsf, ocsfOlder } from "./ocsf";
import { rfc5424 } from "./rfc5424";

/** Every way to write entries down. */
export const FORMATS: Record<StreamFormat, Format> = { native, ocsf, ocsf_older: ocsfOlder, ecs, cef, rfc5424 };
