namespace Ioxide.AspNetCore.Tests;

/// <summary>Says what the answers to a case are worth.</summary>
/// <param name="Of">Takes an answer per step; a step that was not played has none.</param>
/// <param name="AllowsSilence">The server may wait for more, so that a short wait is enough.</param>
internal sealed record ProbeJudge(Func<IReadOnlyList<StepAnswer>, Score> Of, bool AllowsSilence = false)
{
    /// <summary>400, or the end of the connection without an answer.</summary>
    internal static ProbeJudge Refuses { get; } = RefusesWith(400);

    /// <summary>400 and nothing else: the RFC names the status.</summary>
    internal static ProbeJudge Answers400 { get; } = First(static answer => answer.Status == 400 ? Score.Pass : Score.Fail);

    /// <summary>Refused is best, taken is allowed. An application that knows no such path takes it, too.</summary>
    internal static ProbeJudge RefusesOrTakes { get; } = RefusesOrTakesWith(400);

    /// <summary>What is not whole may be waited for.</summary>
    internal static ProbeJudge WaitsOrRefuses { get; } = WaitsOrRefusesWith(400);

    internal static ProbeJudge Takes { get; } = First(static answer => answer.IsTaken ? Score.Pass : Score.Fail);

    /// <summary>No change of the protocol.</summary>
    internal static ProbeJudge Stays { get; } = First(static answer =>
        answer.Status != 101 && (answer.Final is not null || answer.IsCut) ? Score.Pass : Score.Fail);

    /// <summary>400, or the end of the connection at the latest behind the answer, so that the second step has none.</summary>
    internal static ProbeJudge EndsAfterwards { get; } = new(static answers =>
        answers[0].Status == 400 || answers[0].IsCut ? Score.Pass
        : answers[0].IsTaken && answers[1].IsCut ? Score.Pass
        : Score.Fail);

    /// <summary>As <see cref="EndsAfterwards"/>, where the body of the only step hides a request: it must have no answer.</summary>
    internal static ProbeJudge HidesNothing { get; } = First(static answer =>
        answer.Finals.Count() >= 2 ? Score.Fail
        : answer.Status == 400 || answer.End == StepEnd.Closed ? Score.Pass
        : Score.Fail);

    /// <summary>A framing that is known: refused, or the next request is read from where the body ends.</summary>
    internal static ProbeJudge KeepsInStep { get; } = new(static answers =>
        answers[0].Status is 400 or 417 || answers[0].IsCut ? Score.Pass
        : !answers[0].IsTaken ? Score.Fail
        : answers[1].IsCut || (answers[1].IsTaken && answers[1].Finals.Count() == 1) ? Score.Pass
        : Score.Warn);

    internal static ProbeJudge RefusesWith(params int[] statuses)
        => First(answer => statuses.Contains(answer.Status) || answer.IsCut ? Score.Pass : Score.Fail);

    internal static ProbeJudge RefusesOrTakesWith(params int[] statuses)
        => First(answer =>
            statuses.Contains(answer.Status) || answer.IsCut ? Score.Pass
            : answer.IsTaken || answer.Status == 404 ? Score.Warn
            : Score.Fail);

    internal static ProbeJudge WaitsOrRefusesWith(params int[] statuses) => new(
        answers => statuses.Contains(answers[0].Status) || answers[0].IsCut || answers[0].End == StepEnd.Silent ? Score.Pass : Score.Fail,
        AllowsSilence: true);

    /// <summary>Taken, and the body comes back.</summary>
    internal static ProbeJudge Echoes(string body)
        => First(answer => answer.IsTaken && answer.Final!.Text == body ? Score.Pass : Score.Fail);

    /// <summary>Taken is wanted; refused, or cut, is allowed.</summary>
    internal static ProbeJudge ShouldTake(Func<RawResponse, bool>? isWanted = null, params int[] alsoWanted) => First(answer =>
        alsoWanted.Contains(answer.Status) ? Score.Pass
        : answer.IsTaken ? (isWanted?.Invoke(answer.Final!) ?? true) ? Score.Pass : Score.Warn
        : answer.IsCut || answer.Status is >= 400 and < 500 ? Score.Warn
        : Score.Fail);

    /// <summary>Taken, and the answer must be as wanted.</summary>
    internal static ProbeJudge MustTake(Func<StepAnswer, bool> isWanted, Score otherwise = Score.Fail)
        => First(answer => !answer.IsTaken ? Score.Fail : isWanted(answer) ? Score.Pass : otherwise);

    internal static ProbeJudge First(Func<StepAnswer, Score> of) => new(answers => of(answers[0]));

    /// <summary>The second answer, where the first is taken and has the field that the case needs.</summary>
    internal static ProbeJudge Conditional(string? field, Func<RawResponse, Score> of) => new(answers =>
        !answers[0].IsTaken || answers[1].Final is null ? Score.Fail
        : field is not null && !answers[0].Final!.Headers.ContainsKey(field) ? Score.Warn
        : of(answers[1].Final!));
}
