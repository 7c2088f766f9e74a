// What reports are packed in: gzip around a JSON head and arrays, each stored byte plane by byte plane.

export interface ArrayPlace {
  type: 'f64' | 'f32' | 'i32' | 'u8';
  at: number; // byte, from the end of the head
  count: number;
}

export async function unpack(text: string): Promise<{ head: unknown; arrays: Uint8Array }> {
  const binary = atob(text.trim());
  const packed = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  return { head: JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))), arrays: bytes.subarray(4 + length) };
}

const width = { f64: 8, f32: 4, i32: 4, u8: 1 };

export function readArray(bytes: Uint8Array, place: ArrayPlace): Float64Array | Float32Array | Int32Array | Uint8Array {
  const size = width[place.type];
  const out = new Uint8Array(place.count * size);
  for (let plane = 0; plane < size; ++plane) {
    let from = place.at + plane * place.count;
    for (let i = plane; i < out.length; i += size) out[i] = bytes[from++];
  }
  switch (place.type) {
    case 'f64':
      return new Float64Array(out.buffer);
    case 'f32':
      return new Float32Array(out.buffer);
    case 'i32':
      return new Int32Array(out.buffer);
    default:
      return out;
  }
}
