/** Example values shared across the reference, so that they tell one story. */
export const ORG = "3f9a1c52-7d0e-4b8a-9c41-5e2b6f7a8d10";
export const PARTNER = "a2d4c6e8-1f3b-4d5a-8b7c-9e0f1a2b3c4d";
export const DEVICE = "b7e21f60-3c5d-4e8f-a1b2-c3d4e5f60718";
export const PERSON = "5c8d7e6f-2a1b-4c3d-9e8f-7a6b5c4d3e2f";
export const THING = "0d9f7c5e-2f4b-4c8e-9a55-6b1f0c3d2e71";
export const TIME = "2025-11-20T14:02:31.000Z";
export const EARLIER = "2025-11-01T00:00:00.000Z";
export const LATER = "2030-01-01T00:00:00.000Z";
export const CHECKSUM = "9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de";
export const AGENT = "agt-5c1f0e7a";
export const PASSWORD = "a long enough password";
export const REFRESH_TOKEN = "Zk3vQ8pLr6sTn1XcB5dKfGh7jWq9eRt0uYi2oAp4mN0";
export const LINK_TOKEN = "tmi_Zk3vQ8pLr6sTn1XcB5dKfGh7jWq9eRt0uYi2oAp4";
export const ENROLLMENT_KEY = "tme_Vb6nM8qWeRt0yUi2oPaSdF4gHjKlZxC5vBnM7qWe";
export const EMAIL = "jane.doe@example.com";
