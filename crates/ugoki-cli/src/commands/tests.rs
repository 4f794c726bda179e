//! Every request is also a command line.

use clap::{CommandFactory, Parser};
use proptest::prelude::*;
use ugoki::clip::{OffsetMode, RootMotion, UpAxis};
use ugoki::compose::Method as Search;
use ugoki::edit::{FeetAt, SpliceConfig};
use ugoki::formats::Format;
use ugoki::perform::{Method as Recognition, Mirror, PairMethod, RunConfig};
use ugoki::picture::View;
use ugoki::segment::{GivenGroup, SegmentConfig};
use ugoki::signal::{Edge, FilterConfig, KernelShape, Method, Part, TimeAlign};
use ugoki::skeleton::Role;
use ugoki_verbs::convert::{Change, Output, Scale, Unit};
use ugoki_verbs::{
    Reading, Request, Span, Time, Tpose, blend, check, compare, compose, convert, db, demo, equalize, filter,
    info, loop_, network, perform, plant, react, render, segment, splice, stream, studio, walk,
};

use super::Cli;

fn file() -> impl Strategy<Value = String> {
    // Spaces, minus signs, other scripts: anything but an empty word.
    "[-a-zA-Z0-9 ._/#動き]{1,12}".prop_filter("words of options", |name| !name.starts_with("--"))
}

fn number() -> impl Strategy<Value = f64> {
    0.001..1000.0_f64
}

fn up() -> impl Strategy<Value = Option<UpAxis>> {
    prop::option::of(prop_oneof![Just(UpAxis::Y), Just(UpAxis::Z)])
}

fn reading() -> impl Strategy<Value = Reading> {
    let option = || prop::option::of(number());
    let words = (prop::option::of(file()), prop::option::of(file()), prop::option::of(file()));
    (prop::option::of(any::<bool>()), up(), option(), option(), words, any::<bool>()).prop_map(
        |(add, source_up, source_unit, source_fps, (take, asf, markers), drop)| Reading {
            offset: add.map(|add| if add { OffsetMode::Add } else { OffsetMode::Replace }),
            source_up,
            source_unit,
            source_fps,
            take,
            asf,
            markers,
            tpose: if drop { Tpose::Drop } else { Tpose::Keep },
        },
    )
}

fn span() -> impl Strategy<Value = Option<Span>> {
    let time = prop_oneof![number().prop_map(Time::Seconds), (0..9999_usize).prop_map(Time::Frames)];
    let end = prop::option::of(time);
    prop::option::of((end.clone(), end).prop_map(|(start, end)| Span { start, end }))
}

fn change() -> impl Strategy<Value = Change> {
    let scale = prop_oneof![
        number().prop_map(Scale::Factor),
        prop_oneof![Just(Unit::M), Just(Unit::Cm), Just(Unit::In)].prop_map(Scale::Auto),
    ];
    let root = prop_oneof![Just(RootMotion::Keep), Just(RootMotion::Extract), Just(RootMotion::InPlace)];
    let option = || prop::option::of(number());
    let root = (root, prop::option::of(file()));
    (option(), scale, up(), any::<bool>(), any::<bool>(), option(), span(), root).prop_map(
        |(fps, scale, up, mirror, reverse, speed, trim, (root_motion, retarget))| Change {
            fps,
            scale,
            up,
            mirror,
            reverse,
            speed,
            trim,
            root_motion,
            retarget,
        },
    )
}

fn convert_request() -> impl Strategy<Value = Request> {
    let output = prop_oneof![file().prop_map(Output::File), file().prop_map(Output::Folder)];
    (prop::collection::vec(file(), 1..4), output, reading(), change()).prop_map(
        |(mut inputs, output, reading, change)| {
            if matches!(output, Output::File(_)) {
                inputs.truncate(1);
            }
            let to = matches!(output, Output::Folder(_)).then_some(Format::Bvh);
            Request::Convert(convert::Request { inputs, output, reading, change, to })
        },
    )
}

fn render_request() -> impl Strategy<Value = Request> {
    let view = prop_oneof![Just(View::Front), Just(View::Side), Just(View::ThreeQuarter)];
    let size = prop::option::of((1..9999_u32, 0..9999_u32));
    // A target goes with a report only.
    let forces = prop::option::of((file(), prop::option::of(file())));
    (file(), file(), prop::option::of(1..99_usize), size, view, forces, span(), reading()).prop_map(
        |(input, output, frames, size, view, forces, trim, reading)| {
            let (forces, target) = forces.map_or((None, None), |(forces, target)| (Some(forces), target));
            Request::Render(render::Request {
                input,
                output,
                frames,
                size,
                view,
                forces,
                target,
                trim,
                reading,
            })
        },
    )
}

fn filter_request() -> impl Strategy<Value = Request> {
    let kernel = prop_oneof![
        (0..99_usize).prop_map(KernelShape::Box),
        number().prop_map(KernelShape::Gauss),
        (0..99_usize).prop_map(KernelShape::Binomial),
        (0..99_usize, 0..9_usize).prop_map(|(taps, degree)| KernelShape::Savgol(taps, degree)),
        prop::collection::vec(-9.0..9.0_f64, 1..9).prop_map(KernelShape::Taps),
    ];
    let method = prop::sample::select(vec![
        Method::Exact,
        Method::Expmap,
        Method::Qlerp,
        Method::Leeshin,
        Method::QlerpRaw,
        Method::LogRaw,
    ]);
    let edge = prop::sample::select(vec![Edge::Copy, Edge::Reflect, Edge::Clamp, Edge::Truncate]);
    (file(), file(), prop::option::of(kernel), method, edge, any::<bool>(), reading()).prop_map(
        |(input, output, kernel, method, edge, despike, reading)| {
            let config = FilterConfig { method, edge };
            Request::Filter(filter::Request { input, output, kernel, config, despike, reading })
        },
    )
}

fn equalize_request() -> impl Strategy<Value = Request> {
    let part = prop::option::of(prop::sample::select(Part::ALL.to_vec()));
    (file(), file(), prop::collection::vec(-9.0..9.0_f64, 1..9), part, reading()).prop_map(
        |(input, output, gains, part, reading)| {
            Request::Equalize(equalize::Request { input, output, gains, part, reading })
        },
    )
}

fn blend_request() -> impl Strategy<Value = Request> {
    let curve = (prop::collection::vec(-9.0..9.0_f64, 1..4), any::<bool>()).prop_map(|(weights, frames)| {
        let at = |i: usize| if frames { Time::Frames(9 * i) } else { Time::Seconds(i as f64 * 0.7) };
        let keys = weights.iter().enumerate().map(|(i, &weight)| blend::WeightAt { at: at(i), weight });
        keys.collect::<Vec<_>>()
    });
    let weights = prop::option::of(prop::collection::vec(curve, 1..4).prop_map(blend::Weights));
    let align = prop_oneof![Just(TimeAlign::Time), Just(TimeAlign::None)];
    (prop::collection::vec(file(), 1..4), file(), weights, align, any::<bool>(), reading()).prop_map(
        |(inputs, output, weights, align, strict, reading)| {
            Request::Blend(blend::Request { inputs, output, weights, align, strict, reading })
        },
    )
}

fn feet_at() -> impl Strategy<Value = FeetAt> {
    prop_oneof![Just(FeetAt::All), Just(FeetAt::Seams)]
}

fn splice_request() -> impl Strategy<Value = Request> {
    let config = (0.0..9.0_f64, 0.0..9.0_f64, feet_at()).prop_map(|(blend_s, trim_s, feet)| SpliceConfig {
        blend_s,
        trim_s,
        feet,
    });
    (prop::collection::vec(file(), 1..4), file(), config, any::<bool>(), reading()).prop_map(
        |(inputs, output, config, strict, reading)| {
            Request::Splice(splice::Request { inputs, output, config, strict, reading })
        },
    )
}

fn loop_request() -> impl Strategy<Value = Request> {
    let files = (file(), file());
    (files, span(), any::<bool>(), 1..99_usize, 0.0..9.0_f64, any::<bool>(), feet_at(), reading()).prop_map(
        |((input, output), range, longest, cycles, blend_s, in_place, feet, reading)| {
            // A cycle that is given need not be the longest.
            let longest = longest && range.is_none();
            let request =
                loop_::Request { input, output, range, longest, cycles, blend_s, in_place, feet, reading };
            Request::Loop(request)
        },
    )
}

fn walk_request() -> impl Strategy<Value = Request> {
    let stride = prop_oneof![
        number().prop_map(|stride| walk::Stride { first: stride, last: stride }),
        (number(), number()).prop_map(|(first, last)| walk::Stride { first, last }),
    ];
    let strides =
        (prop::option::of(stride), prop::option::of(0..99_usize), prop::option::of(-360.0..360.0_f64));
    (file(), file(), prop::option::of(file()), strides, any::<bool>(), reading()).prop_map(
        |(input, output, steps, (stride, count, turn), clamp, reading)| {
            // A file of steps and strides exclude each other.
            let (stride, count, turn) =
                if steps.is_some() { (None, None, None) } else { (stride, count, turn) };
            Request::Walk(walk::Request { input, output, steps, stride, count, turn, clamp, reading })
        },
    )
}

fn react_request() -> impl Strategy<Value = Request> {
    let role = || prop::sample::select(Role::ALL.to_vec());
    let vector = || prop::array::uniform3(-99.0..99.0_f64);
    let time = prop_oneof![number().prop_map(Time::Seconds), (0..9999_usize).prop_map(Time::Frames)];
    let near = prop::array::uniform3(-2.0..2.0_f64);
    let load = (number(), role(), prop::option::of(near)).prop_map(|(mass_kg, role, offset_m)| react::Load {
        mass_kg,
        role,
        offset_m,
    });
    let push =
        (time, role(), vector()).prop_map(|(at, role, impulse_n_s)| react::Push { at, role, impulse_n_s });
    let events = (prop::collection::vec(load, 0..3), prop::collection::vec(push, 0..3));
    let maybe = || prop::option::of(file());
    let names = (file(), file(), maybe(), maybe(), maybe(), maybe(), maybe());
    let choices = (any::<bool>(), any::<bool>(), prop::option::of(number()));
    (names, events, choices, reading()).prop_map(
        |((input, output, throw, body, report, plot, export_body), (loads, pushes), choices, reading)| {
            let (control, strict, mass_kg) = choices;
            Request::React(react::Request {
                input,
                output,
                loads,
                pushes,
                throw,
                control,
                body,
                mass_kg,
                strict,
                export_body,
                report,
                plot,
                reading,
            })
        },
    )
}

fn segment_request() -> impl Strategy<Value = Request> {
    let config = (
        0.01..0.9_f64,
        [number(), number()],
        number(),
        number(),
        prop::option::of(number()),
        [number(), number()],
        prop::collection::vec(("[a-z]{1,6}-[0-9]", prop::collection::vec(0..Role::ALL.len(), 1..4)), 0..3),
    );
    let config = config.prop_map(
        |(rest, [duration_s, pause_s], peak_m_s, quiet_m_s, longest_s, [merge_s, smooth_s], groups)| {
            let group = |(name, roles): (String, Vec<usize>)| GivenGroup {
                name,
                roles: roles.into_iter().map(|role| Role::ALL[role]).collect(),
            };
            let groups = groups.into_iter().map(group).collect();
            SegmentConfig {
                rest,
                duration_s,
                pause_s,
                peak_m_s,
                quiet_m_s,
                longest_s,
                merge_s,
                smooth_s,
                groups,
            }
        },
    );
    let maybe = || prop::option::of(file());
    (file(), maybe(), maybe(), config, reading()).prop_map(|(input, output, plot, config, reading)| {
        Request::Segment(segment::Request { input, output, plot, config, reading })
    })
}

fn stream_request() -> impl Strategy<Value = Request> {
    prop_oneof![
        (file(), file(), any::<bool>(), reading()).prop_map(|(input, output, repeat, reading)| {
            Request::Stream(stream::Stream { input, output, repeat, reading })
        }),
        (file(), file(), number(), prop::option::of(number()), number(), 0..=2000_u32).prop_map(
            |(input, output, fps, seconds, silence, buffer_ms)| {
                Request::Record(stream::Record { input, output, fps, seconds, silence, buffer_ms })
            }
        ),
    ]
}

fn perform_request() -> impl Strategy<Value = Request> {
    let methods =
        [Recognition::Follow, Recognition::Sum, Recognition::Nearest, Recognition::Window, Recognition::Dp];
    let mirrors = [Mirror::Auto, Mirror::No, Mirror::Yes];
    let recognition = || {
        let numbers = (0.0..0.5_f32, 0.0..0.5_f32, 0.0..0.5_f32);
        let (methods, mirrors) = (methods.to_vec(), mirrors.to_vec());
        (prop::sample::select(methods), 0..9_usize, numbers, prop::sample::select(mirrors)).prop_map(
            |(method, hysteresis, (order, trust, unknown), mirror)| RunConfig {
                method,
                hysteresis,
                order,
                trust,
                unknown,
                mirror,
            },
        )
    };
    let pair = prop_oneof![Just(PairMethod::Lag), Just(PairMethod::Dtw)];
    let learn = (prop::collection::vec(file(), 1..5), file(), pair, prop::option::of(file()), reading());
    let request = prop_oneof![
        learn.prop_map(|(inputs, output, pair, plot, reading)| {
            perform::Request::Learn(perform::Learn { inputs, output, pair, plot, reading })
        }),
        (file(), file(), file(), recognition(), 0..=2000_u32, reading()).prop_map(
            |(model, input, output, recognition, buffer_ms, reading)| {
                perform::Request::Run(perform::Run { model, input, output, recognition, buffer_ms, reading })
            }
        ),
        (file(), file(), recognition(), reading()).prop_map(|(model, input, recognition, reading)| {
            perform::Request::Recognize(perform::Recognize { model, input, recognition, reading })
        }),
    ];
    request.prop_map(Request::Perform)
}

fn selection() -> impl Strategy<Value = db::Selection> {
    let limits = || {
        prop::option::of((prop::option::of(0.0..5.0_f64), prop::option::of(5.0..9.0_f64)))
            .prop_map(|ends| ends.map(|(least, greatest)| db::Limits { least, greatest }))
    };
    let words = || prop::collection::vec(file(), 0..3);
    (words(), words(), limits(), limits(), any::<bool>()).prop_map(
        |(clips, tags, seconds, speed, duplicates)| db::Selection { clips, tags, seconds, speed, duplicates },
    )
}

fn db_request() -> impl Strategy<Value = Request> {
    let words = || prop::collection::vec(file(), 1..3);
    let maybe = || prop::option::of(file());
    let format = prop::option::of(Just(Format::Bvh));
    let add = (
        file(),
        words(),
        maybe(),
        prop::collection::vec(file(), 0..3),
        prop::option::of(1..9_usize),
        reading(),
    );
    let request = prop_oneof![
        (file(), maybe(), prop::option::of(number())).prop_map(|(database, skeleton, fps)| {
            db::Request::Create(db::Create { database, skeleton, fps })
        }),
        add.prop_map(|(database, paths, license, tags, jobs, reading)| {
            db::Request::Add(db::Add { database, paths, license, tags, jobs, reading })
        }),
        (file(), selection())
            .prop_map(|(database, selection)| db::Request::List(db::List { database, selection })),
        (file(), words()).prop_map(|(database, clips)| db::Request::Show(db::Show { database, clips })),
        (file(), words(), words(), words()).prop_map(|(database, clips, add, remove)| db::Request::Tag(
            db::Tag { database, clips, add, remove }
        )),
        (file(), selection())
            .prop_map(|(database, selection)| db::Request::Remove(db::Remove { database, selection })),
        (file(), any::<bool>())
            .prop_map(|(database, repair)| db::Request::Check(db::Check { database, repair })),
        (file(), file(), selection(), any::<bool>(), format).prop_map(
            |(database, output, selection, source, to)| {
                db::Request::Export(db::Export { database, output, selection, source, to })
            }
        ),
    ];
    request.prop_map(Request::Db)
}

fn building() -> impl Strategy<Value = network::Building> {
    let maybe = || prop::option::of(number());
    (file(), number(), prop::option::of(1..99_u32), maybe(), any::<bool>(), maybe()).prop_map(
        |(layers, threshold, most, interior_s, whole, bpm)| network::Building {
            layers,
            threshold,
            most,
            interior_s: interior_s.unwrap_or(0.0),
            whole,
            bpm,
        },
    )
}

fn network_request() -> impl Strategy<Value = Request> {
    let maybe = || prop::option::of(file());
    (file(), maybe(), maybe(), building()).prop_map(|(database, layer, plot, building)| {
        Request::Network(network::Request { database, layer, plot, building })
    })
}

fn compose_request() -> impl Strategy<Value = Request> {
    let maybe = || prop::option::of(file());
    let files = (file(), file(), file(), maybe(), maybe(), maybe(), file());
    let counts = (1..99_usize, 1..9999_usize, 4..999_usize, any::<bool>(), any::<u64>());
    let weights = prop::option::of((number(), number(), number()));
    let numbers = (prop::option::of(number()), weights, 0.0..1.0_f64, 0.0..9.0_f64, 0.0..9.0_f64);
    let direction = prop::option::of(-180.0..180.0_f64);
    let tags = || prop::collection::vec(file(), 0..3);
    (files, counts, numbers, direction, tags(), tags(), any::<[bool; 2]>(), building()).prop_map(
        |(files, counts, numbers, direction, want, avoid, [climb, no_page], building)| {
            let (database, timeline, output, lyrics, gestures, gesture_layer, format) = files;
            let (candidates, generations, population, paths, seed) = counts;
            let (valid_f, weights, distance, repetition, blend_s) = numbers;
            Request::Compose(compose::Request {
                database,
                timeline,
                output,
                candidates,
                generations,
                population,
                method: if paths { Search::Paths } else { Search::Genetic },
                seed,
                lyrics,
                gestures,
                gesture_layer,
                valid_f,
                weights: weights.map(|(time, roughness, torso)| {
                    compose::WeightList(ugoki::compose::Weights { time, roughness, torso })
                }),
                distance,
                want,
                avoid,
                repetition,
                direction,
                climb,
                blend_s,
                format,
                no_page,
                building,
            })
        },
    )
}

fn request() -> impl Strategy<Value = Request> {
    prop_oneof![
        (file(), reading()).prop_map(|(file, reading)| Request::Info(info::Request { file, reading })),
        (prop::collection::vec(file(), 1..4), reading())
            .prop_map(|(files, reading)| Request::Check(check::Request { files, reading })),
        convert_request(),
        (file(), file(), reading()).prop_map(|(input, output, reading)| Request::Plant(plant::Request {
            input,
            output,
            reading
        })),
        (file(), file(), prop::option::of(file()), any::<bool>(), reading()).prop_map(
            |(a, b, stats, strict, reading)| {
                Request::Compare(compare::Request { a, b, stats, strict, reading })
            }
        ),
        render_request(),
        filter_request(),
        equalize_request(),
        blend_request(),
        splice_request(),
        loop_request(),
        react_request(),
        segment_request(),
        perform_request(),
        stream_request(),
        walk_request(),
        network_request(),
        compose_request(),
        db_request(),
        (file(), any::<bool>(), any::<u16>(), any::<bool>(), any::<bool>()).prop_map(
            |(folder, serve, port, check, open)| Request::Demo(demo::Request {
                folder,
                serve,
                port,
                check,
                open
            })
        ),
        (prop::option::of(file()), any::<u16>(), prop::option::of(file()), any::<bool>()).prop_map(
            |(database, port, host, open)| Request::Studio(studio::Request { database, port, host, open })
        ),
    ]
}

proptest! {
    #[test]
    fn a_request_survives_the_command_line(request in request()) {
        let words = request.command_line();
        let cli = Cli::try_parse_from(std::iter::once("ugoki".to_owned()).chain(words.clone()))
            .map_err(|error| TestCaseError::fail(format!("{words:?}: {error}")))?;
        let back = cli.verb.request().map_err(|_| TestCaseError::fail(format!("{words:?} was refused")))?;
        prop_assert_eq!(back, request);
    }

    #[test]
    fn a_request_survives_json(request in request()) {
        let text = serde_json::to_string(&request).unwrap();
        prop_assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request);
    }
}

#[test]
fn every_verb_has_help_with_an_example() {
    Cli::command().debug_assert();
    for verb in Cli::command().get_subcommands() {
        let after = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(after.contains("Example"), "{} has no example", verb.get_name());
        assert!(verb.get_about().is_some(), "{} says nothing about itself", verb.get_name());
        for action in verb.get_subcommands() {
            let after = action.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains("Example"), "{} {} has no example", verb.get_name(), action.get_name());
        }
    }
}
