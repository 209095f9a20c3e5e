using System.Diagnostics;
using System.Globalization;
using Ioxide;
using Ioxide.Micro;

// What the seam to the kernel costs: the same turns through Kernel, which is virtual, and straight through Sys.
const int Rounds = 21;
const int EntersARound = 200_000;
const int WarmRounds = 5;

using Ring ring = Ring.Create(new RingOptions(SqEntries: 64, CqEntries: 128));
ring.Enable();
foreach (uint batch in (uint[])[1, 16])
{
    var seam = new SeamTurns(ring, batch);
    List<double> through = [];
    List<double> straight = [];
    for (int round = 0; round < Rounds + WarmRounds; round++)
    {
        double throughNs = Measure(seam.ThroughKernel);
        double straightNs = Measure(seam.Straight);
        if (round >= WarmRounds)
        {
            through.Add(throughNs);
            straight.Add(straightNs);
        }
    }

    Print(batch, "through Kernel", through);
    Print(batch, "straight to Sys", straight);
}

static double Measure(Action turn)
{
    long started = Stopwatch.GetTimestamp();
    for (int enter = 0; enter < EntersARound; enter++)
    {
        turn();
    }

    return Stopwatch.GetElapsedTime(started).TotalNanoseconds / EntersARound;
}

static void Print(uint batch, string side, List<double> turns)
{
    turns.Sort();
    Console.WriteLine(string.Create(
        CultureInfo.InvariantCulture,
        $"{batch,2} entries a turn, {side,-16} {turns[0]:0} / {turns[turns.Count / 2]:0} / {turns[^1]:0} ns a turn (min / median / max)"));
}
