namespace DapperSample;

/// <summary>A row of notes. Dapper finds the constructor by the names of the columns.</summary>
internal sealed record Note(int Id, string Text);

/// <summary>What a POST sends.</summary>
internal sealed record NewNote(string Text);
