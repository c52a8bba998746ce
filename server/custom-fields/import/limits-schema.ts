/** Rows of a file, after its header. */
export const MAX_IMPORT_ROWS = 200_000;
/** Bytes of a file, compressed or not. */
export const MAX_IMPORT_BYTES = 100 * 1024 * 1024;
/** All members of a workbook together, unpacked (bytes). */
export const MAX_WORKBOOK_BYTES = 500 * 1024 * 1024;
export const MAX_IMPORT_COLUMNS = 300;
export const MAX_IMPORT_FILES = 10;
/** Characters of one record of a text file: more is an unclosed quote. */
export const MAX_RECORD_CHARS = 1024 * 1024;
/** Bytes of one request of an upload; a larger file goes in several, each at its offset. */
export const UPLOAD_PART_BYTES = 4 * 1024 * 1024;
export const PREVIEW_ROWS = 20;
/** The column that the download of rows not applied adds. It is no field when that file comes back. */
export const REASON_TITLE = "Not applied because";
/** Begins the reason of a row that could not be read: it stays unread until a person has emptied that cell. */
export const UNREADABLE_MARK = "Unreadable row: ";
