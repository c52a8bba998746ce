import { listSystemLibrary } from "@/server/scripts/list-system-library";
import { query, router } from "./init";

export const scriptsRouter = router({
  systemLibrary: query(listSystemLibrary),
});
