namespace Ioxide;

/// <summary>The program that a check examines. An exception of any member but the first two becomes a line of the report.</summary>
internal interface ICheckedProgram
{
    /// <summary>Says why an argument cannot be used, and what to do, in one line; null where all can.</summary>
    /// <param name="args">The program's arguments. Those of the check itself are known to be right.</param>
    string? FindWrongArgument(string[] args);

    /// <summary>Called once, before the others: from here on the program is checked, and does not run.</summary>
    /// <param name="args">The program's arguments.</param>
    void Prepare(string[] args);

    /// <summary>Makes the runtime's check, with the program's options.</summary>
    RuntimeCheck MakeRuntimeCheck();

    /// <summary>Finds the further checks, in the order in which they run.</summary>
    IReadOnlyList<IHostCheck> FindChecks();
}
