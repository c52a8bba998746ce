import { download } from "@/server/doors/http/download";
import { referenceFile } from "@/server/doors/http/reference/page";

export const GET = download(referenceFile);
