// Words of the interface, English and Japanese. Names of clips, joints and reports stay as they are.

const words = {
  clips: ["Clips", "クリップ"],
  search: ["Search clips", "クリップを検索"],
  noClips: ["No clip fits.", "該当するクリップがありません。"],
  count: ["{n} clips", "{n} 件"],
  import: ["Import files", "ファイルを読み込む"],
  drop: ["Drop motion files to import them, or a VRM avatar to dress the figure", "モーションを読み込む・VRM アバターを着せる"],
  remove: ["Remove {name}", "{name} を削除"],
  undo: ["Undo", "元に戻す"],
  redo: ["Redo", "やり直す"],
  language: ["日本語", "English"],
  theme: ["Light or dark", "明るさの切り替え"],
  away: ["The server is away; waiting for it", "サーバーの応答を待っています"],
  frameView: ["Frame the figure (Home)", "全体を表示 (Home)"],
  follow: ["Camera follows (F)", "カメラ追従 (F)"],
  ghost: ["Show the original as a ghost", "元の動きを重ねる"],
  path: ["Show the path", "軌跡を表示"],
  contacts: ["Show footprints", "足跡を表示"],
  onion: ["Onion skins", "オニオンスキン"],
  mannequin: ["Back to the mannequin", "マネキンに戻す"],
  noAvatar: ["is no VRM avatar that can be read", "は読み込める VRM アバターではありません"],
  stage: ["Stage", "ステージ"],
  timeline: ["Timeline", "タイムライン"],
  play: ["Play or stop (Space)", "再生・停止 (Space)"],
  first: ["First frame", "先頭へ"],
  last: ["Last frame", "末尾へ"],
  back: ["One frame back (←)", "1 フレーム戻る (←)"],
  forth: ["One frame on (→)", "1 フレーム進む (→)"],
  loop: ["Play in a loop", "繰り返し再生"],
  speed: ["Speed", "速さ"],
  left: ["left", "左"],
  right: ["right", "右"],
  frames: ["{n} frames", "{n} フレーム"],
  tools: ["Tools", "ツール"],
  clean: ["Clean", "整える"],
  blend: ["Blend", "混ぜる"],
  segment: ["Segment", "区切る"],
  walk: ["Walk", "歩く"],
  react: ["React", "反応"],
  perform: ["Perform", "演じる"],
  performHelp: [
    "The clip on stage is the actor's. Choose an imitation of it, then a performance that is to drive it.",
    "ステージのクリップが手本です。それを真似たクリップと、動かす演技を選びます。",
  ],
  imitation: ["Imitation", "真似"],
  performance: ["Performance", "演技"],
  chooseClip: ["choose…", "選択…"],
  learned: ["What was learned", "学習した区間"],
  recognised: ["Recognised", "認識"],
  confidence: ["Confidence", "確信度"],
  piece: ["Piece", "区間"],
  export: ["Export", "書き出し"],
  steps: ["What is done to it", "適用中の処理"],
  takeOut: ["Take this step out", "この処理を外す"],
  save: ["Save", "保存"],
  saveAs: ["Name of the result", "結果の名前"],
  saved: ["Saved: {names}", "保存しました: {names}"],
  imported: ["Imported: {names}", "読み込みました: {names}"],
  stop: ["Stop", "中止"],
  working: ["Working…", "計算中…"],
  smooth: ["Smoothing", "平滑化"],
  kernel: ["Kernel", "カーネル"],
  none: ["none", "なし"],
  width: ["Width", "幅"],
  degree: ["Degree", "次数"],
  method: ["Method", "方法"],
  edges: ["Ends", "両端"],
  despike: ["Remove glitches first", "先に飛びを取り除く"],
  plant: ["Plant the feet", "足を接地させる"],
  glitches: ["{n} values mended in {frames} frames", "{frames} フレームで {n} 個の値を修正"],
  bands: ["Bands", "周波数帯"],
  reset: ["Reset", "リセット"],
  part: ["Part", "部位"],
  whole: ["whole body", "全身"],
  curves: ["Turning of one joint", "関節の回転"],
  joint: ["Joint", "関節"],
  changed: ["Changed most", "最大の変化"],
  taps: ["Taps", "タップ数"],
  mix: ["Clips to mix", "混ぜるクリップ"],
  addClip: ["Add a clip…", "クリップを追加…"],
  weights: ["Weights", "重み"],
  pad: ["Weights by place", "位置で重みを決める"],
  padHelp: ["Drag the point: the nearer a clip, the more of it.", "点をドラッグ: 近いクリップほど強くなります。"],
  align: ["Match moments", "時間を合わせる"],
  aligned: ["Pace beside the first", "最初のクリップに対する速さ"],
  registration: ["Moments that correspond", "時間の対応"],
  feetHeld: ["Feet held", "固定した足"],
  blendHelp: ["Choose one or more clips to mix with the one on stage.", "ステージのクリップと混ぜるクリップを選びます。"],
  findCuts: ["Find the cuts", "区切りを探す"],
  clearCuts: ["No cuts", "区切りを消す"],
  cutHere: ["Cut at the playhead", "再生位置で区切る"],
  pieces: ["Pieces", "区間"],
  savePieces: ["Save the pieces", "区間を保存"],
  segmentHelp: [
    "Cuts lie where one simple movement ends and the next begins. Drag them on the timeline.",
    "単純な動作の境目で区切ります。タイムライン上でドラッグできます。",
  ],
  makeWalk: ["Walk with these feet", "足跡に沿って歩かせる"],
  walkHelp: ["Drag a footprint on the ground; hold Shift to turn it, Alt to raise it.", "足跡をドラッグ。Shift で回転、Alt で高さ。"],
  stride: ["Stride", "歩幅"],
  count_: ["Steps", "歩数"],
  turn: ["Turn", "曲がり"],
  clampSteps: ["Move impossible steps", "無理な足跡は近くへ移す"],
  straight: ["Even steps again", "均等な歩みに戻す"],
  missed: ["Off the plan, at most", "計画とのずれ 最大"],
  slip: ["Slip, at most", "滑り 最大"],
  loopTool: ["Loop", "ループ"],
  loopOn: ["Close the best cycle", "最良の周期を閉じる"],
  cycles: ["Repeats", "繰り返し"],
  reactOn: ["Let the body react", "力に反応させる"],
  reactHelp: [
    "Pause, then drag from the body: the arrow is a push at this moment.",
    "一時停止して体からドラッグすると、その瞬間に押します。",
  ],
  ball: ["Throw a ball: click on the body", "ボールを投げる: 体をクリック"],
  balls: ["Balls", "ボール"],
  ballMass: ["Ball", "ボール"],
  load: ["Backpack", "荷物"],
  mass: ["Body", "体重"],
  control: ["Keep balance", "バランスを保つ"],
  pushes: ["Pushes", "押す力"],
  margin: ["Margin of balance", "バランスの余裕"],
  outcome: ["Outcome", "結果"],
  recovered: ["recovers", "立て直す"],
  fell: ["falls at {s} s", "{s} 秒で転倒"],
  strays: ["stands, off target", "立つが元に戻らない"],
  exportAs: ["Files of what is on stage", "ステージの動きをファイルに"],
  command: ["The same on the command line", "同じ処理のコマンド"],
  copy: ["Copy", "コピー"],
  copied: ["Copied", "コピーしました"],
  exported: ["{names} is ready", "{names} を書き出しました"],
  formatBvh: ["BVH, for every tool", "BVH（汎用）"],
  formatGlb: ["glTF, for engines and Blender", "glTF（エンジン・Blender）"],
  formatVrma: ["VRM animation", "VRM アニメーション"],
  formatGif: ["GIF, to show around", "GIF（共有用）"],
  dismiss: ["Dismiss", "閉じる"],
} as const satisfies Record<string, readonly [string, string]>;

export type Word = keyof typeof words;
export type Language = "en" | "ja";

let language: Language = "en";
const listeners: (() => void)[] = [];

/** The word in the language in use, with its blanks filled. */
export function t(word: Word, blanks: Record<string, string | number> = {}): string {
  let text: string = words[word][language === "en" ? 0 : 1];
  for (const [name, value] of Object.entries(blanks)) text = text.replaceAll(`{${name}}`, String(value));
  return text;
}

export function currentLanguage(): Language {
  return language;
}

export function setLanguage(to: Language): void {
  language = to;
  document.documentElement.lang = to;
  listeners.forEach((listener) => listener());
}

/** Calls when words change, and at once. */
export function onLanguage(listener: () => void): void {
  listeners.push(listener);
  listener();
}

/** All words, for the tests. */
export const allWords: Record<string, readonly [string, string]> = words;
