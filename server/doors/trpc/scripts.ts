import { listSystemLibrary } from "@/server/devices/scripts/list-system-library";
import { query, router } from "./init";

export const scriptsRouter = router({
  systemLibrary: query(listSystemLibrary),
});
