import { referencePage } from "@/server/doors/http/reference/page";

export const GET = referencePage;
