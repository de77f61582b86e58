/** Identifiers are UUIDs of version 7: unique without asking anyone, and sortable by the time they were made (S-30, X-44). */
import { v7 } from 'uuid';
import type { Ids } from '../ports/world';

export const realIds: Ids = { next: () => v7() };
