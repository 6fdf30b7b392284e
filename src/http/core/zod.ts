import { extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';

// Schemas call `.openapi` while their modules load, so they import zod from here, where it is extended first.
extendZodWithOpenApi(z);

export { z };
