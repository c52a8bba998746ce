import { route } from "@/server/http/route";
import { listSystemLibrary } from "@/server/scripts/list-system-library";
import { libraryInput, libraryOutput } from "@/server/scripts/schema";

export const GET = route({
  summary: "The system script library",
  auth: "user",
  input: libraryInput,
  output: libraryOutput,
  run: listSystemLibrary,
});
