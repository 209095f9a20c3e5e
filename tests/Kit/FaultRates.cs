namespace Ioxide.TestKit;

/// <summary>How often each fault is injected: so many times in 1,000 occasions. Threads: any; a change counts from the next occasion on.</summary>
internal sealed class FaultRates
{
    internal static readonly int FaultCount = Enum.GetValues<Fault>().Length;

    private readonly int[] _perMille = new int[FaultCount];

    internal int this[Fault fault]
    {
        get => Volatile.Read(ref _perMille[(int)fault]);
        set => _perMille[(int)fault] = value;
    }

    /// <summary>For tests with limits of time. Each seed leaves some faults out and has others often.</summary>
    internal static FaultRates Everyday(ulong seed)
    {
        int[] factors = [0, 1, 1, 4];
        FaultDice dice = new(seed);
        FaultRates rates = new();
        foreach (Fault fault in Enum.GetValues<Fault>())
        {
            rates._perMille[(int)fault] = Math.Min(Usual(fault) * factors[dice.Below(factors.Length)], 500);
        }

        return rates;
    }

    /// <summary>Every fault, so often that a few hundred requests meet all of them.</summary>
    internal static FaultRates Harsh()
    {
        FaultRates rates = new();
        foreach (Fault fault in Enum.GetValues<Fault>())
        {
            rates._perMille[(int)fault] = Math.Min(Usual(fault) * 4, 400);
        }

        return rates;
    }

    private static int Usual(Fault fault) => fault switch
    {
        Fault.EnterLate => 3,
        Fault.EnterInterrupted or Fault.EnterBusy or Fault.EnterAgain => 15,
        Fault.EnterTakesSome or Fault.EnterDoesNotWait or Fault.EnterWaitsForOne or Fault.EnterTimesOut => 30,
        Fault.CompletionsReordered => 100,
        Fault.ReceiveInterrupted or Fault.ReceiveAgain or Fault.ReceiveNoBuffers => 40,
        Fault.ReceivePollsFirst or Fault.ReceiveEndsEarly => 100,
        Fault.ReceiveInPieces => 50,
        Fault.SendInterrupted or Fault.SendAgain or Fault.SendNoBuffers or Fault.SendNoMemory => 15,
        Fault.SendShort or Fault.SendMessageShort or Fault.SendNotAll or Fault.SendPollsFirst => 50,
        Fault.ReadInterrupted => 0,
        Fault.AcceptInterrupted or Fault.AcceptAborted => 50,
        Fault.AcceptTableFull or Fault.AcceptNoMemory => 10,
        Fault.AcceptEndsEarly or Fault.WakeEndsEarly => 250,
        Fault.WakeNoMemory => 100,
        Fault.LimitReached => 10,
        _ => 100,
    };
}
