"use client";

import { PageError } from "@/components/frame/page-error";

export default PageError;
