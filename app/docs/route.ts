import { download } from "@/server/doors/http/download";
import { referencePage } from "@/server/doors/http/reference/page";

export const GET = download(referencePage);
