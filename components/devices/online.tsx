import { StateTag } from "@/components/ui/state-tag";

/** Whether the device's agent has been heard from lately. */
export function Online({ device }: { device: { online: boolean } }) {
  return device.online ? <StateTag tone="good">Online</StateTag> : <StateTag tone="off">Offline</StateTag>;
}
