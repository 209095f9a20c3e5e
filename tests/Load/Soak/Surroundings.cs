using System.Net;

namespace Ioxide.Soak;

/// <summary>What every worker and every fault works with.</summary>
internal sealed record Surroundings(ServerProcess Server, Counters Counters, Gate Gate)
{
    /// <summary>Nothing that moves for so long hangs.</summary>
    internal const int PatienceMs = 10_000;

    /// <summary>The sites of the server: an application that stays, one that is restarted, and the runtime alone.</summary>
    internal const string Sites = "kestrel:2,kestrel:1,raw:1";

    /// <summary>Which of the sites is restarted: the second application.</summary>
    internal const int SecondIndex = 1;

    /// <summary>Which of the sites has its listener restarted.</summary>
    internal const int RawIndex = 2;

    /// <summary>Enough for every load and every other fault, and too few for <see cref="FaultDeck"/>'s pressure on descriptors.</summary>
    internal const int MaxOpenFiles = 800;

    internal IPEndPoint Main => Server.EndPoints[0];

    internal IPEndPoint Second => Server.EndPoints[SecondIndex];

    internal IPEndPoint Raw => Server.EndPoints[RawIndex];

    /// <summary>Held by who uses descriptors up and by who needs one for certain: nobody can listen while there is none.</summary>
    internal SemaphoreSlim Descriptors { get; } = new(1);
}
