using Ioxide.Pg.Data;

// A console program with nothing but a connection string: no host, no reactors of its own, no ASP.NET.
using var connection = new PgDbConnection(args[0]);
connection.Open();
using PgDbCommand command = connection.CreateCommand();
command.CommandText = "select 'answered by ' || current_database()";
Console.WriteLine(command.ExecuteScalar());
