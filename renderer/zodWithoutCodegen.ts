/**
 * Keeps zod from probing for `new Function`, which a strict content security policy reports although the throw is caught.
 * Imported before anything that declares a schema: zod reads the setting at that moment.
 */
import { z } from 'zod';

z.config({ jitless: true });
