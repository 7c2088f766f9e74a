// The picture in space, by ogl (WebGL2), copied to the canvas that is seen, because browsers do not print the other kind.
// Bodies are unit meshes that are moved, turned and stretched. The z of the model is up: the scene is turned once,
// because ogl's controls turn about y.
import { Box, Camera, Cylinder, Geometry, Mesh, Orbit, type OGLRenderingContext, Plane, Program, Renderer, Sphere, Torus, Transform, Vec3 } from 'ogl';
import { color, prepare } from './element';
import type { ShapeData } from './data';
import { type Moment, type PictureData, traceMoments, type Vector } from './picture';

const vertex = /* glsl */ `#version 300 es
in vec3 position; in vec3 normal;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
out vec3 v_normal; out vec3 v_local;
void main() {
  v_local = position;
  v_normal = mat3(modelMatrix) * normal;
  gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0);
}`;
const fragment = /* glsl */ `#version 300 es
precision highp float;
in vec3 v_normal; in vec3 v_local;
uniform vec3 tint; uniform float light, stripes, alpha;
out vec4 result;
void main() {
  vec3 n = length(v_normal) > 0.0 ? normalize(v_normal) : vec3(0.0, 0.0, 1.0);
  float shade = 0.55 + 0.45 * max(0.0, dot(n, normalize(vec3(0.4, 0.8, 0.5))));
  float band = 1.0;
  if (stripes == 1.0 && v_local.x * v_local.y * v_local.z > 0.0) band = 0.72;
  if (stripes == 2.0 && mod(floor(12.0 * v_local.x) + floor(12.0 * v_local.y), 2.0) == 1.0) band = 0.88;
  result = vec4(mix(tint * shade * band, vec3(1.0, 0.45, 0.1), light), alpha);
}`;

class Space {
  private readonly renderer: Renderer;
  private readonly gl: OGLRenderingContext;
  private readonly scene = new Transform();
  private readonly camera: Camera;
  private readonly orbit: { update(): void; forcePosition(): void; target: Vec3 };
  private readonly meshes: { mesh: Mesh; shape: ShapeData; part: string }[] = [];
  private readonly size: number;
  private readonly middle: Vector;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly picture: PictureData,
    private readonly repaint: () => void,
  ) {
    this.renderer = new Renderer({ alpha: true, antialias: true });
    this.gl = this.renderer.gl;
    const { low, high } = picture;
    this.size = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-12);
    this.middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2];
    this.camera = new Camera(this.gl, { fov: 35, near: 0.01, far: 100 });
    this.camera.position.set(0.85, 0.75, 1.5);
    this.scene.rotation.x = -Math.PI / 2;
    const controls = new Orbit(this.camera, { element: canvas, target: new Vec3(0, 0, 0), ease: 1, inertia: 0 } as object);
    this.orbit = controls as unknown as Space['orbit'];
    for (const type of ['pointermove', 'wheel', 'mousemove', 'touchmove']) canvas.addEventListener(type, () => requestAnimationFrame(repaint));
    canvas.tabIndex = 0;
    canvas.addEventListener('keydown', (event) => this.key(event));
    for (const shape of picture.shapes) this.make(shape);
  }

  draw(now: number, width: number, height: number, flashTime: number): void {
    this.renderer.dpr = window.devicePixelRatio || 1;
    this.renderer.setSize(width, height);
    this.camera.perspective({ aspect: width / height });
    this.orbit.update();
    const at = this.picture.moment(now);
    for (const one of this.meshes) this.place(one.mesh, one.shape, one.part, at, now, flashTime);
    this.renderer.render({ scene: this.scene, camera: this.camera });
    prepare(this.canvas, width, height).drawImage(this.gl.canvas as HTMLCanvasElement, 0, 0, width, height);
  }

  /// Arrow keys turn the camera about the picture by ten degrees, + and - bring it nearer and farther.
  private key(event: KeyboardEvent): void {
    const ten = Math.PI / 18;
    const act: Record<string, [number, number, number]> = { ArrowLeft: [-ten, 0, 1], ArrowRight: [ten, 0, 1], ArrowUp: [0, ten, 1], ArrowDown: [0, -ten, 1], '+': [0, 0, 0.8], '=': [0, 0, 0.8], '-': [0, 0, 1.25] };
    if (!act[event.key]) return;
    const [around, up, farther] = act[event.key];
    const { position } = this.camera;
    const [x, y, z] = [position.x - this.orbit.target.x, position.y - this.orbit.target.y, position.z - this.orbit.target.z];
    const distance = Math.hypot(x, y, z);
    const [azimuth, height] = [Math.atan2(x, z) + around, Math.min(1.5, Math.max(-1.5, Math.asin(y / distance) + up))];
    const far = distance * farther;
    position.set(this.orbit.target.x + far * Math.cos(height) * Math.sin(azimuth), this.orbit.target.y + far * Math.sin(height), this.orbit.target.z + far * Math.cos(height) * Math.cos(azimuth));
    this.orbit.forcePosition();
    this.repaint();
    event.preventDefault();
  }

  private program(tint: string, pattern: 'plain' | 'eighths' | 'squares' = 'plain', alpha = 1): Program {
    const [r, g, b] = rgb(tint);
    return new Program(this.gl, { vertex, fragment, cullFace: false as unknown as GLenum, transparent: alpha < 1, uniforms: { tint: { value: [r, g, b] }, light: { value: 0 }, stripes: { value: ['plain', 'eighths', 'squares'].indexOf(pattern) }, alpha: { value: alpha } } });
  }
  private add(shape: ShapeData, geometry: Geometry, program: Program, part = '', mode?: number): void {
    const mesh = new Mesh(this.gl, { geometry, program, mode, frustumCulled: false } as object);
    mesh.setParent(this.scene);
    this.meshes.push({ mesh, shape, part });
  }
  private make(shape: ShapeData): void {
    const { gl } = this;
    const body = color('--body-space') || '#4477aa';
    const line = color('--body-line') || '#223344';
    switch (shape.kind) {
      case 'rod':
        return this.add(shape, new Cylinder(gl, { radiusTop: 1, radiusBottom: 1, height: 1, radialSegments: 20 }), this.program(line));
      case 'spring':
        return this.add(shape, coil(gl), this.program('#888888'));
      case 'disk':
        return this.add(shape, new Cylinder(gl, { radiusTop: 1, radiusBottom: 1, height: 1, radialSegments: 40 }), this.program(body, 'eighths'));
      case 'sphere':
        return this.add(shape, new Sphere(gl, { radius: 1, widthSegments: 32, heightSegments: 20 }), this.program(body, 'eighths'));
      case 'box':
        return this.add(shape, new Box(gl), this.program(body));
      case 'ring':
        return this.add(shape, new Torus(gl, { radius: 1, tube: 0.02, radialSegments: 10, tubularSegments: 60 }), this.program(line));
      case 'wall':
        return this.add(shape, new Cylinder(gl, { radiusTop: 1, radiusBottom: 1, height: 1, radialSegments: 8 }), this.program('#777777'));
      case 'floor':
        return this.add(shape, new Plane(gl), this.program('#9aa0a6', 'squares', 0.55));
      case 'trace': {
        const geometry = new Geometry(gl, { position: { size: 3, data: new Float32Array(3 * 10000), usage: gl.DYNAMIC_DRAW }, normal: { size: 3, data: new Float32Array(3 * 10000) } });
        return this.add(shape, geometry, this.program('#d55e00'), 'trace', gl.LINE_STRIP);
      }
      case 'touch':
        this.add(shape, new Sphere(gl, { radius: 1, widthSegments: 16, heightSegments: 10 }), this.program('#ff8800', 'plain', 0.8), 'flash');
        if (shape.force !== undefined) this.add(shape, new Cylinder(gl, { radiusTop: 0, radiusBottom: 1, height: 1, radialSegments: 16 }), this.program(color('--force') || '#cc3311'), 'force');
        return;
      case 'arrow':
        return this.add(shape, new Cylinder(gl, { radiusTop: 0, radiusBottom: 1, height: 1, radialSegments: 16 }), this.program(color('--force') || '#cc3311'), 'force');
    }
  }

  private local(at: Vector): Vector {
    return [(at[0] - this.middle[0]) / this.size, (at[1] - this.middle[1]) / this.size, (at[2] - this.middle[2]) / this.size];
  }

  private place(mesh: Mesh, shape: ShapeData, part: string, at: Moment, now: number, flashTime: number): void {
    const { picture } = this;
    const a = this.local(picture.place(shape, 0, at));
    const radius = shape.numbers.length ? Math.max(picture.number(shape.numbers[0], at) / this.size, 0.012) : 0.01;
    const [w, x, y, z] = picture.turn(shape, at);
    const stand = (from: Vector, to: Vector, wide: number) => {
      const d: Vector = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
      const length = Math.hypot(...d);
      mesh.visible = length > 0;
      mesh.position.set((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, (from[2] + to[2]) / 2);
      mesh.scale.set(wide, length || 1, wide);
      mesh.quaternion.set(...fromY(d, length || 1));
    };
    switch (part || shape.kind) {
      case 'rod':
      case 'wall':
        return stand(a, this.local(picture.place(shape, 1, at)), Math.max((shape.sizes[0] ?? 0) / this.size / 2, 0.006));
      case 'spring':
        return stand(a, this.local(picture.place(shape, 1, at)), 0.02);
      case 'force': {
        const along = picture.place(shape, 1, at);
        const length = Math.hypot(...along) || 1;
        const force = shape.force !== undefined ? picture.number(shape.force, at) : length;
        const share = picture.largestForce > 0 ? Math.sqrt(Math.min(1, Math.abs(force) / picture.largestForce)) : 0;
        const size = (0.3 * share * Math.sign(force)) / length;
        stand(a, [a[0] + along[0] * size, a[1] + along[1] * size, a[2] + along[2] * size], 0.012);
        mesh.visible = share > 0.03;
        return;
      }
      case 'flash': {
        const light = picture.flash(shape, now, flashTime);
        mesh.visible = light > 0;
        mesh.position.set(...a);
        mesh.scale.set(0.015 + 0.03 * light);
        mesh.program.uniforms.light.value = light;
        return;
      }
      case 'trace': {
        const points = traceMoments(picture, shape.sizes[0] ?? Infinity, now).slice(-10000);
        const data = mesh.geometry.attributes.position.data as Float32Array;
        points.forEach((moment, i) => data.set(this.local(picture.place(shape, 0, moment)), 3 * i));
        mesh.geometry.attributes.position.needsUpdate = true;
        mesh.geometry.setDrawRange(0, points.length);
        return;
      }
    }
    mesh.position.set(...a);
    mesh.quaternion.set(x, y, z, w);
    if (shape.kind === 'box') mesh.scale.set(shape.sizes[0] / this.size, shape.sizes[1] / this.size, shape.sizes[2] / this.size);
    else if (shape.kind === 'floor') mesh.scale.set(shape.sizes[0] / this.size);
    else if (shape.kind === 'disk') {
      mesh.quaternion.set(...times([x, y, z, w], [Math.SQRT1_2, 0, 0, Math.SQRT1_2])); // the mesh stands along y, the body's axis is z
      mesh.scale.set(radius, Math.max(radius * 0.12, 0.006), radius);
    } else mesh.scale.set(radius);
  }
}

type Quaternion = [number, number, number, number]; // x, y, z, w

/// Turns the y axis into a direction.
function fromY(d: Vector, length: number): Quaternion {
  const [dx, dy, dz] = [d[0] / length, d[1] / length, d[2] / length];
  if (dy < -0.999999) return [1, 0, 0, 0];
  const w = Math.sqrt((1 + dy) / 2);
  return [dz / (2 * w), 0, -dx / (2 * w), w];
}
function times(a: Quaternion, b: Quaternion): Quaternion {
  return [a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0], a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]];
}
function rgb(text: string): Vector {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text.trim());
  return hex ? [parseInt(hex[1], 16) / 255, parseInt(hex[2], 16) / 255, parseInt(hex[3], 16) / 255] : [0.3, 0.5, 0.7];
}
/// A helix along y from -1/2 to 1/2 with radius 1.
function coil(gl: OGLRenderingContext): Geometry {
  const [turns, around, along] = [8, 8, 160];
  const position: number[] = [];
  const normal: number[] = [];
  const index: number[] = [];
  for (let i = 0; i <= along; ++i) {
    const angle = (2 * Math.PI * turns * i) / along;
    for (let k = 0; k < around; ++k) {
      const small = (2 * Math.PI * k) / around;
      const r = 1 + 0.15 * Math.cos(small);
      position.push(r * Math.cos(angle), i / along - 0.5 + 0.012 * Math.sin(small), r * Math.sin(angle));
      normal.push(Math.cos(small) * Math.cos(angle), Math.sin(small), Math.cos(small) * Math.sin(angle));
      if (i === along) continue;
      const [p, q] = [i * around + k, i * around + ((k + 1) % around)];
      index.push(p, q, p + around, q, q + around, p + around);
    }
  }
  return new Geometry(gl, { position: { size: 3, data: new Float32Array(position) }, normal: { size: 3, data: new Float32Array(normal) }, index: { data: new Uint16Array(index) } });
}

window.pawlSpace = (canvas, picture, repaint) => new Space(canvas, picture, repaint);
