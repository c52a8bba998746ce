import { StateTag } from "@/components/ui/state-tag";

/** Whether the device's agent has reported recently. */
export function Online({ device }: { device: { online: boolean } }) {
  return device.online ? <StateTag tone="good">Online</StateTag> : <StateTag tone="off">Offline</StateTag>;
}
