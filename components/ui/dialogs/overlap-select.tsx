import { Select, type SelectProps } from "@mantine/core";

/** What a rotation begins with. */
export const DEFAULT_OVERLAP_SECONDS = "86400";

const OVERLAPS = [
  { value: "0", label: "Not at all" },
  { value: "3600", label: "1 hour" },
  { value: DEFAULT_OVERLAP_SECONDS, label: "1 day" },
  { value: "604800", label: "7 days" },
];

/** For how long a former secret is good beside the one that replaces it; its value is a number of seconds. */
export const OverlapSelect = (props: Omit<SelectProps, "data">) => <Select data={OVERLAPS} data-autofocus {...props} />;
