namespace Ioxide.Simulation;

/// <summary>The queues themselves: order, full queues, overflow, waits, chains.</summary>
internal static class QueueScripts
{
    internal static void NopsCompleteInOrder(Stage stage)
    {
        for (int index = 0; index < 5; index++)
        {
            stage.Nop($"nop {index}");
        }

        stage.Collect(5);
    }

    internal static void AFullSubmissionQueueTakesMore(Stage stage)
    {
        stage.OpenRing(sqEntries: 8, cqEntries: 64);
        for (int index = 0; index < 20; index++)
        {
            stage.Nop($"nop {index}");
        }

        stage.Collect(20);
    }

    internal static void AnOverflowLosesNothingAndKeepsTheOrder(Stage stage)
    {
        stage.OpenRing(sqEntries: 8, cqEntries: 8);
        for (int index = 0; index < 40; index++)
        {
            stage.Nop($"nop {index}");
        }

        stage.Collect(40);
    }

    internal static void TheOverflowFlagIsSetAndCleared(Stage stage)
    {
        stage.OpenRing(sqEntries: 8, cqEntries: 8);
        stage.NoteOverflowFlag();
        for (int index = 0; index < 12; index++)
        {
            stage.Nop($"nop {index}");
        }

        stage.Enter();
        stage.NoteOverflowFlag();
        stage.Take();
        stage.NoteOverflowFlag();
        stage.Enter();
        stage.NoteOverflowFlag();
        stage.Take();
    }

    internal static void AnOverflowThatDoesNotFitAtOnceIsFlushedBySteps(Stage stage)
    {
        stage.OpenRing(sqEntries: 8, cqEntries: 8);
        for (int index = 0; index < 24; index++)
        {
            stage.Nop($"nop {index}");
        }

        stage.Enter();
        for (int step = 0; step < 3; step++)
        {
            stage.Take();
            stage.Enter();
            stage.NoteOverflowFlag();
        }
    }

    internal static void AWaitEndsWithItsTime(Stage stage)
    {
        stage.Enter(minComplete: 1, timeoutMs: 1);
        stage.Enter(minComplete: 0);
    }

    internal static void AWaitThatSubmitsSaysHowMany(Stage stage) => stage.Nop().Nop().Enter(minComplete: 1, timeoutMs: 1000).Take();

    internal static void AWaitThatSubmitsAndTimesOutSaysHowMany(Stage stage)
    {
        stage.Nop();
        stage.Enter(minComplete: 2, timeoutMs: 1);
        stage.Enter(minComplete: 2, timeoutMs: 1).Take();
    }

    internal static void AWaitThatIsFulfilledReturnsAtOnce(Stage stage)
    {
        stage.Nop();
        stage.Enter();
        stage.Enter(minComplete: 1, timeoutMs: 1000).Take();
    }

    internal static void AWaitForMoreThanFitsEndsWithAFullQueue(Stage stage)
    {
        stage.OpenRing(sqEntries: 8, cqEntries: 8);
        for (int index = 0; index < 8; index++)
        {
            stage.Nop($"nop {index}");
        }

        stage.Enter();
        stage.Enter(minComplete: 100, timeoutMs: 3000).Take();
    }

    internal static void AChainRunsInOrder(Stage stage) => stage.Nop("first", isLinked: true).Nop("second", isLinked: true).Nop("third").Collect(3);

    internal static void WhatStandsBehindAChainDoesNotWaitForIt(Stage stage)
    {
        stage.Nop("first", isLinked: true);
        stage.Nop("second", isLinked: true).Nop("third").Nop("behind the chain").Collect(4);
    }

    internal static void TwoChainsTakeTurns(Stage stage)
    {
        stage.Nop("one, first", isLinked: true);
        stage.Nop("one, second", isLinked: true);
        stage.Nop("one, third").Nop("two, first", isLinked: true).Nop("two, second").Collect(5);
    }

    internal static void AHardLinkGoesOnBehindAnError(Stage stage) => stage.Cancel("cancel", "nobody", isLinked: true).Nop("behind it").Collect(2);

    internal static void ALongChainTakesSeveralEnters(Stage stage)
    {
        for (int index = 0; index < 6; index++)
        {
            stage.Nop($"nop {index}", isLinked: index < 5);
        }

        for (int round = 0; round < 5; round++)
        {
            stage.Enter().Take();
        }
    }

    internal static void ALongChainIsRunToItsEndByAWaitForAll(Stage stage)
    {
        for (int index = 0; index < 6; index++)
        {
            stage.Nop($"nop {index}", isLinked: index < 5);
        }

        stage.Enter(minComplete: 6, timeoutMs: 1000).Take();
    }

    internal static void OneEnterRunsTwentyWorks(Stage stage)
    {
        ArmMany(stage, 30);
        stage.Enter().Take();
        stage.Enter().Take();
    }

    internal static void AWaitForMoreRunsMore(Stage stage)
    {
        ArmMany(stage, 30);
        stage.Enter(minComplete: 25, timeoutMs: 1000).Take();
        stage.Enter().Take();
    }

    internal static void AnEnterThatSubmitsRunsWorksTwice(Stage stage)
    {
        ArmMany(stage, 50);
        stage.Nop().Enter().Take();
        stage.Enter().Take();
    }

    internal static void WhoSleptGetsNoMoreThanItWaitedFor(Stage stage)
    {
        Pair[] pairs = ArmFive(stage);
        stage.EnterWhile(minComplete: 1, timeoutMs: 2000, () => SendToAll(pairs));
        stage.Take();
        stage.Enter().Take();
    }

    internal static void WhoSleptForThreeGetsThree(Stage stage)
    {
        Pair[] pairs = ArmFive(stage);
        stage.EnterWhile(minComplete: 3, timeoutMs: 2000, () => SendToAll(pairs));
        stage.Take();
        stage.Enter().Take();
    }

    internal static void WhoSleptWithABatchedWaitGetsAllOfIt(Stage stage)
    {
        Pair[] pairs = ArmFive(stage);
        stage.EnterWhile(minComplete: 5, timeoutMs: 2000, () => SendToAll(pairs), minimumWaitUs: 1_000_000);
        stage.Take();
    }

    internal static void ABatchedWaitThatIsOverIsEndedByOneCompletion(Stage stage)
    {
        // Submitted alone: a wait that is interrupted, as by the end of the ring before, shows as its end where something was submitted with it.
        stage.Nop();
        stage.Enter();
        stage.Enter(minComplete: 2, timeoutMs: 5000, minimumWaitUs: 500).Take();
    }

    internal static void ABatchedWaitInWhichNothingComesLastsToItsTime(Stage stage)
        => stage.Enter(minComplete: 2, timeoutMs: 3, minimumWaitUs: 500).Take();

    internal static void WhatComesBehindABatchedWaitEndsItAlone(Stage stage)
    {
        Pair[] pairs = ArmFive(stage);
        stage.EnterWhile(minComplete: 3, timeoutMs: 5000, () => pairs[2].Client.SendQuietly(1), minimumWaitUs: 1);
        stage.Take();
    }

    private static Pair[] ArmFive(Stage stage)
    {
        stage.Lend(8, 64);
        Pair[] pairs = [.. Enumerable.Range(0, 5).Select(_ => stage.Connect())];
        foreach (Pair pair in pairs)
        {
            stage.Receive($"receive {pair.Client.Number}", pair);
        }

        stage.Collect(0);
        return pairs;
    }

    private static void SendToAll(Pair[] pairs)
    {
        foreach (Pair pair in pairs)
        {
            pair.Client.SendQuietly(1);
        }
    }

    private static void ArmMany(Stage stage, int count)
    {
        stage.Lend(64, 64);
        var pairs = new List<Pair>();
        for (int index = 0; index < count; index++)
        {
            pairs.Add(stage.Connect());
            stage.Receive($"receive {index}", pairs[index]);
        }

        stage.Collect(0);
        foreach (Pair pair in pairs)
        {
            pair.Client.Send(1);
        }
    }
}
