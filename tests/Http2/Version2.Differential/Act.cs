namespace Ioxide.Http2.Tests;

/// <summary>One step of a script: frames, and what must have come before the next step begins.</summary>
/// <param name="Name">Differences are listed under it.</param>
/// <param name="Frames">In the order in which they are sent. An empty one: the streams of <paramref name="Answered"/> are over before the next is sent.</param>
/// <param name="Answered">Streams that both servers end, by an answer or a reset. Their traces are compared.</param>
/// <param name="Held">Streams whose windows are never refilled.</param>
/// <param name="Watched">A stream whose reset counts if it comes before the answer to the ping behind the step.</param>
internal sealed record Act(string Name, IReadOnlyList<byte[]> Frames, int[] Answered, int[] Held, int Watched = 0);
